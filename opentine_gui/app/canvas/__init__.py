"""The graph under the pointer: layouts, gestures, previews, proposals, presentation."""

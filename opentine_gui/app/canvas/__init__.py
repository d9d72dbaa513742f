"""The graph under the pointer: layouts, checks, gestures, previews, proposals, presentation."""

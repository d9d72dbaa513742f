"""OpenHands: conversations of the SDK (one file per event, with branches) and the older lists of events."""

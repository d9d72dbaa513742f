"""OpenHands: conversations of the SDK (a file an event, branches inside) and the older lists of events."""

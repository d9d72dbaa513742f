"""Our own widgets over Dear PyGui."""

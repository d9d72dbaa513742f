"""The window, and the only room that imports Dear PyGui: views read the session, show it, and send actions back."""

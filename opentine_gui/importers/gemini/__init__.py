"""Gemini CLI's chats: JSON lines that patch a list of messages, the older one document, and plain histories."""

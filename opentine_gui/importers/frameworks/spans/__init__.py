"""Spans of OpenTelemetry and its relatives (OTLP, Tempo, Jaeger, Phoenix, Langfuse, Logfire, LangSmith, OpenAI Agents).

Envelopes become spans of one shape, with the names of the GenAI conventions where an envelope has its own; dialects say
what a span is and holds; the flow turns containment and times into what came from what.
"""

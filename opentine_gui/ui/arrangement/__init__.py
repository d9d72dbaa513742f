"""The areas of the window: what the panels get, the edges that can be dragged, and what lies behind them."""

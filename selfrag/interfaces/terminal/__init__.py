"""The terminal client: a running server, asked over MCP and shown with Rich."""

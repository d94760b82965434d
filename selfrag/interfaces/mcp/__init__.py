"""MCP (Model Context Protocol): the library as tools and resources of a language model's client."""

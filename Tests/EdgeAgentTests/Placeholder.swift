import Testing

@Suite struct EdgeAgentPlaceholder {}

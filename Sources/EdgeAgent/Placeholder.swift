enum EdgeAgentPlaceholder {}

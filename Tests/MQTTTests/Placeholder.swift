import Testing

@Suite struct MQTTPlaceholder {}

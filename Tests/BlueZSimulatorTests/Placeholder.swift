import Testing

@Suite struct BlueZSimulatorPlaceholder {}

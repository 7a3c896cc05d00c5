enum BlueZSimulatorPlaceholder {}

import Testing

@Suite struct BleCorePlaceholder {}

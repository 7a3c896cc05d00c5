enum BleCorePlaceholder {}

import Testing

@Suite struct DBusPlaceholder {}

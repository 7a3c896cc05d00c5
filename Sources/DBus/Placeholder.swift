enum DBusPlaceholder {}

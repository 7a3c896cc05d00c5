"""Virtual Bluetooth LE adapters and devices on one simulated air, for the lab's guest.

The adapters reach the kernel through /dev/vhci, so bluetoothd sees hci0, hci1, ... The
devices are Bumble hosts, a Bluetooth stack unrelated to BlueZ, each with a simulated
controller of its own. `catalogue.py` lists them; `labctl radio` steers them.
"""

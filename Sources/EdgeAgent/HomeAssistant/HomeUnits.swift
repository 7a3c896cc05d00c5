/// What Home Assistant knows of sensors of each class: their units, and how they may be added up.
package enum HomeUnits {
    package struct SensorClass: Sendable, Equatable {
        /// Empty where it has none; an empty text among them where it may be without one.
        package var units: Set<String>
        package var stateClasses: Set<HomeStateClass>

        init(_ units: [String], _ stateClasses: Set<HomeStateClass> = [.measurement]) {
            self.units = Set(units)
            self.stateClasses = stateClasses
        }
    }

    /// The classes of sensors; those of numbers are the same but for dates, times and words.
    package static let sensorClasses: [String: SensorClass] = [
        "date": SensorClass([], []),
        "enum": SensorClass([], []),
        "timestamp": SensorClass([], []),
        "apparent_power": SensorClass(["VA"]),
        "aqi": SensorClass([""]),
        "area": SensorClass(["ac", "cm²", "ft²", "ha", "in²", "km²", "mi²", "mm²", "m²", "yd²"], all),
        "atmospheric_pressure": SensorClass(pressures),
        "battery": SensorClass(["%"]),
        "blood_glucose_concentration": SensorClass(["mg/dL", "mmol/L"]),
        "carbon_dioxide": SensorClass(["ppm"]),
        "carbon_monoxide": SensorClass(["ppm"]),
        "conductivity": SensorClass(["S/cm", "mS/cm", "µS/cm"]),
        "current": SensorClass(["A", "mA"]),
        "data_rate": SensorClass([
            "B/s", "GB/s", "Gbit/s", "GiB/s", "KiB/s", "MB/s", "Mbit/s", "MiB/s", "bit/s", "kB/s", "kbit/s",
        ]),
        "data_size": SensorClass(
            [
                "B", "EB", "EiB", "GB", "Gbit", "GiB", "KiB", "MB", "Mbit", "MiB", "PB", "PiB", "TB", "TiB", "YB",
                "YiB",
                "ZB", "ZiB", "bit", "kB", "kbit",
            ],
            all
        ),
        "distance": SensorClass(["cm", "ft", "in", "km", "m", "mi", "mm", "nmi", "yd"], all),
        "duration": SensorClass(["d", "h", "min", "ms", "s"], all),
        "energy": SensorClass(energies, [.total, .totalIncreasing]),
        "energy_distance": SensorClass(["kWh/100km", "km/kWh", "mi/kWh"]),
        "energy_storage": SensorClass(energies),
        "frequency": SensorClass(["GHz", "Hz", "MHz", "kHz"]),
        "gas": SensorClass(["CCF", "ft³", "m³"], [.total, .totalIncreasing]),
        "humidity": SensorClass(["%"]),
        "illuminance": SensorClass(["lx"]),
        "irradiance": SensorClass(["BTU/(h⋅ft²)", "W/m²"]),
        "moisture": SensorClass(["%"]),
        "nitrogen_dioxide": SensorClass(["µg/m³"]),
        "nitrogen_monoxide": SensorClass(["µg/m³"]),
        "nitrous_oxide": SensorClass(["µg/m³"]),
        "ozone": SensorClass(["µg/m³"]),
        "ph": SensorClass([""]),
        "pm1": SensorClass(["µg/m³"]),
        "pm10": SensorClass(["µg/m³"]),
        "pm25": SensorClass(["µg/m³"]),
        "power": SensorClass(["GW", "MW", "TW", "W", "kW", "mW"]),
        "power_factor": SensorClass(["%", ""]),
        "precipitation": SensorClass(["cm", "in", "mm"], all),
        "precipitation_intensity": SensorClass(["in/d", "in/h", "mm/d", "mm/h"]),
        "pressure": SensorClass(pressures),
        "reactive_power": SensorClass(["var"]),
        "signal_strength": SensorClass(["dB", "dBm"]),
        "sound_pressure": SensorClass(["dB", "dBA"]),
        "speed": SensorClass([
            "Beaufort", "ft/s", "in/d", "in/h", "in/s", "km/h", "kn", "m/s", "mm/d", "mm/h", "mm/s", "mph",
        ]),
        "sulphur_dioxide": SensorClass(["µg/m³"]),
        "temperature": SensorClass(["K", "°C", "°F"]),
        "volatile_organic_compounds": SensorClass(["µg/m³"]),
        "volatile_organic_compounds_parts": SensorClass(["ppb", "ppm"]),
        "voltage": SensorClass(["MV", "V", "kV", "mV", "µV"]),
        "volume": SensorClass(volumes, [.total, .totalIncreasing]),
        "volume_flow_rate": SensorClass(["L/min", "ft³/min", "gal/min", "mL/s", "m³/h"]),
        "volume_storage": SensorClass(volumes),
        "water": SensorClass(["CCF", "L", "ft³", "gal", "m³"], [.total, .totalIncreasing]),
        "weight": SensorClass(["g", "kg", "lb", "mg", "oz", "st", "µg"], all),
        "wind_direction": SensorClass(["°"], []),
        "wind_speed": SensorClass(["Beaufort", "ft/s", "in/s", "km/h", "kn", "m/s", "mm/s", "mph"]),
    ]

    private static let all: Set<HomeStateClass> = [.measurement, .total, .totalIncreasing]
    private static let pressures = ["Pa", "bar", "cbar", "hPa", "inHg", "kPa", "mbar", "mmHg", "psi"]
    private static let energies = [
        "GJ", "GWh", "Gcal", "J", "MJ", "MWh", "Mcal", "TWh", "Wh", "cal", "kJ", "kWh", "kcal", "mWh",
    ]
    private static let volumes = ["CCF", "L", "fl. oz.", "ft³", "gal", "mL", "m³"]
}

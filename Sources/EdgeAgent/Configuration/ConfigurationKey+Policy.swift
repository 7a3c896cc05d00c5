extension ConfigurationKey {
    /// A key of one rule of the policy.
    package struct RuleKey: Sendable {
        package let name: String
        package let summary: String
        /// What one value must be; all but `all` take one or a list.
        package let expected: String
    }

    /// The keys of one entry of `policy`: `allow` or `deny`, and conditions.
    package static let policyRule: [RuleKey] = [
        RuleKey(name: "allow", summary: "The verbs that the rule allows", expected: verbForm),
        RuleKey(name: "deny", summary: "The verbs that the rule denies", expected: verbForm),
        RuleKey(
            name: "callers",
            summary: "For whom: the last level of the topic",
            expected: "none, or A-Z, a-z, 0-9, _ and -, with * for any"
        ),
        RuleKey(
            name: "devices",
            summary: "For which devices",
            expected: "an address, an alias, a part of one with *, or gateway"
        ),
        RuleKey(name: "services", summary: "For characteristics in these services", expected: uuidForm),
        RuleKey(name: "characteristics", summary: "For these characteristics", expected: uuidForm),
        RuleKey(name: "all", summary: "Allows them on `all/cmd` too", expected: "true or false"),
    ]

    /// The most values of a list of a rule.
    package static let maximumRuleValues = 256

    private static let verbForm = "a verb, read-only or any"
    private static let uuidForm = "a UUID of 4, 8 or 32 hexadecimal digits"
}

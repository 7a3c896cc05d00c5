import Testing

/// Suites that start agents run one after the other within a lane: so many worlds, brokers and agents at a time are what
/// a small machine bears without making the deadlines of other tests a matter of luck.
@Suite(.serialized) enum AgentLane1 {}
@Suite(.serialized) enum AgentLane2 {}
@Suite(.serialized) enum AgentLane3 {}
@Suite(.serialized) enum AgentLane4 {}

import java.util.Map;

/** Connects the tests with the implementation. Made anew for each test. */
class Adapter {
    private SafetyInjection system;

    Map<String, Object> reset(Map<String, Object> inputs) {
        system = new SafetyInjection(inputs.get("Block").equals("On"), inputs.get("Reset").equals("On"));
        return outputs();
    }

    Map<String, Object> step(Map<String, Object> inputs) {
        system.sample(inputs.get("Block").equals("On"), inputs.get("Reset").equals("On"),
            (Long) inputs.get("WaterPres"));
        return outputs();
    }

    private Map<String, Object> outputs() {
        return Map.of("Pressure", system.pressure.name(), "SafetyInjection", system.injects() ? "On" : "Off");
    }
}

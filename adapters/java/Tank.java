import java.util.Map;

/** The tank of ../example/tank.smv. With -Dwrong=true it does not fill to the brim. */
class Tank implements TraplineSut.Implementation {
    private static final long FULL = 5;
    private static final long BRIM = Boolean.getBoolean("wrong") ? FULL - 1 : FULL;

    private long level;

    @Override
    public Map<String, Object> reset(Map<String, Object> inputs) {
        level = 0;
        return outputs(false);
    }

    @Override
    public Map<String, Object> step(Map<String, Object> inputs) {
        String cmd = TraplineSut.text(inputs, "cmd");
        long amount = TraplineSut.integer(inputs, "amount");
        boolean alarm = false;
        if (!TraplineSut.bool(inputs, "lock")) {
            alarm = cmd.equals("fill") && level + amount > FULL;
            if (cmd.equals("fill") && level + amount <= BRIM) level += amount;
            if (cmd.equals("drain") && level >= amount) level -= amount;
        }
        return outputs(alarm);
    }

    private Map<String, Object> outputs(boolean alarm) {
        String mode = level == 0 ? "empty" : level == FULL ? "full" : "some";
        return Map.of("level", level, "mode", mode, "alarm", alarm);
    }

    public static void main(String[] args) throws java.io.IOException {
        TraplineSut.serve(new Tank());
    }
}

/** The safety injection system, as somebody might implement it. */
class SafetyInjection {
    /** With -Dwrong=true, the reset switch no longer ends an override. */
    private static final boolean IS_WRONG = Boolean.getBoolean("wrong");

    enum Pressure { TooLow, Permitted, High }

    private boolean block;
    private boolean reset;
    private boolean isOverridden = false;
    Pressure pressure = Pressure.Permitted;

    SafetyInjection(boolean block, boolean reset) {
        this.block = block;
        this.reset = reset;
    }

    void sample(boolean block, boolean reset, long waterPressure) {
        boolean blocked = !this.block && block;
        boolean wasReset = !this.reset && reset;
        pressure = waterPressure < 90 ? Pressure.TooLow
            : waterPressure < 100 ? Pressure.Permitted : Pressure.High;
        if (pressure == Pressure.High) {
            isOverridden = false;
        } else if (wasReset) {
            isOverridden &= IS_WRONG;
        } else if (blocked && !this.reset && !reset) {
            isOverridden = true;
        }
        this.block = block;
        this.reset = reset;
    }

    boolean injects() {
        return pressure == Pressure.TooLow && !isOverridden;
    }
}

// Connects an implementation in C++ to `trapline run`. Copy this file and trapline_sut.h, which it is
// made on; they need nothing else.
//
//     #include "trapline_sut.hpp"
//
//     class Valve : public trapline::Implementation {
//         int level = 0;
//
//         void reset(const trapline::Inputs &, trapline::Outputs &out) override {
//             level = 0;
//             out.set("alarm", false);
//         }
//
//         void step(const trapline::Inputs &in, trapline::Outputs &out) override {
//             level += in.integer("flow");
//             out.set("alarm", level > 10);
//         }
//     };
//
//     int main() {
//         Valve valve;
//         return trapline::serve(valve);
//     }
//
// Throw trapline::Refused("why") where the implementation takes no such input; any other exception is
// reported as an error. Print to standard error only: standard output holds the answers.
#ifndef TRAPLINE_SUT_HPP
#define TRAPLINE_SUT_HPP

#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "trapline_sut.h"

namespace trapline {

// The implementation takes no such input now.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What was sent. To ask for what was not, or for another type, is an error.
class Inputs {
    const trapline_inputs *in;

public:
    explicit Inputs(const trapline_inputs *in) : in(in) {}
    bool has(const std::string &name) const { return trapline_find(in, name.c_str()) != nullptr; }
    bool boolean(const std::string &name) const { return trapline_true(in, name.c_str()) != 0; }
    long long integer(const std::string &name) const { return trapline_int(in, name.c_str()); }
    double real(const std::string &name) const { return trapline_real(in, name.c_str()); }
    std::string text(const std::string &name) const { return trapline_text(in, name.c_str()); }
};

// What is shown.
class Outputs {
    trapline_outputs *out;

public:
    explicit Outputs(trapline_outputs *out) : out(out) {}
    void set(const std::string &name, bool value) { trapline_bool(out, name.c_str(), value); }
    void set(const std::string &name, const char *value) { trapline_symbol(out, name.c_str(), value); }
    void set(const std::string &name, const std::string &value) { set(name, value.c_str()); }
    template <class T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int> = 0>
    void set(const std::string &name, T value)
    {
        raw(name, std::to_string(value));
    }
    // A value that is written as JSON, such as an array: raw("lamps", "[true, false]").
    void raw(const std::string &name, const std::string &value)
    {
        trapline_raw(out, name.c_str(), value.c_str());
    }
};

// What is tested.
class Implementation {
public:
    virtual ~Implementation() = default;
    // Starts anew with the inputs of the first state.
    virtual void reset(const Inputs &in, Outputs &out) = 0;
    // Takes a step with these inputs.
    virtual void step(const Inputs &in, Outputs &out) = 0;
};

namespace detail {

inline Implementation *&served()
{
    static Implementation *implementation = nullptr;
    return implementation;
}

template <void (Implementation::*method)(const Inputs &, Outputs &)>
void answer(const trapline_inputs *in, trapline_outputs *out)
{
    try {
        Outputs outputs(out);
        (served()->*method)(Inputs(in), outputs);
    } catch (const Refused &why) {
        trapline_refuse(out, why.what());
    } catch (const std::exception &error) {
        trapline_fail(out, error.what());
    } catch (...) {
        trapline_fail(out, "an exception that is no std::exception");
    }
}

} // namespace detail

// Answers requests until there are no more.
inline int serve(Implementation &implementation)
{
    detail::served() = &implementation;
    return trapline_serve(detail::answer<&Implementation::reset>, detail::answer<&Implementation::step>);
}

} // namespace trapline

#endif

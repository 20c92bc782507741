#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace kurve {

/// The caller broke a function's contract (wrong shape, index out of range): a bug of ours, never of the
/// user.
class ContractError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

}  // namespace kurve

/// KURVE_CHECK(a == b, "got {} expected {}", a, b): throws ContractError. For the entry of a function, not
/// for kernels.
#define KURVE_CHECK(condition, ...)                                                     \
    do {                                                                                \
        if (!(condition))                                                               \
            throw ::kurve::ContractError(std::string(__func__) + ": " #condition ": " + \
                                         fmt::format(__VA_ARGS__));                     \
    } while (false)

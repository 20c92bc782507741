#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "core/base/error.h"

namespace kurve {

/// A value, or the Error that prevented it; for failures a user can cause. Contract breaches throw (check.h).
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
public:
    using tl::expected<T, Error>::expected;
    Result(Error error)
        : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}  // NOLINT: implicit on purpose
};

using Status = Result<void>;

}  // namespace kurve

#define KURVE_CONCAT_(a, b) a##b
#define KURVE_CONCAT(a, b) KURVE_CONCAT_(a, b)
/// KURVE_TRY(auto value, makeValue()): binds the value or returns the error from the enclosing function.
#define KURVE_TRY(declaration, ...)                                                     \
    auto KURVE_CONCAT(tried_, __LINE__) = (__VA_ARGS__);                                \
    if (!KURVE_CONCAT(tried_, __LINE__)) return KURVE_CONCAT(tried_, __LINE__).error(); \
    declaration = std::move(*KURVE_CONCAT(tried_, __LINE__))
/// KURVE_CHECKED(doIt()): returns the error of a Status from the enclosing function.
#define KURVE_CHECKED(...)                                                  \
    do {                                                                    \
        if (auto status_ = (__VA_ARGS__); !status_) return status_.error(); \
    } while (false)

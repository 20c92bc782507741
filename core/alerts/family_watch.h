#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kurve::alerts {

/// What a model family watches for in what its training logs. It is reported once a run; what is done then
/// says the project's rule of kind Family. Used from one thread.
class FamilyWatch {
public:
    virtual ~FamilyWatch() = default;
    [[nodiscard]] virtual const char* id() const = 0;   ///< "embedding_collapse"; for ever
    [[nodiscard]] virtual const char* doc() const = 0;  ///< one line, what it finds
    /// Once per logged point. What was found, one sentence with the remedy.
    virtual std::optional<std::string> observe(std::int64_t step,
                                               const std::map<std::string, double>& scalars) = 0;
};

}  // namespace kurve::alerts

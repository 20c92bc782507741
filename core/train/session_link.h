#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/wire/message.h"

namespace kurve::train {

/// Where a job's commands come from and its events go to. The job calls from one thread.
class SessionLink {
public:
    virtual ~SessionLink() = default;
    /// Commands that have arrived, in order; waits up to `seconds` for one if there is none.
    virtual std::vector<wire::Message> commands(double seconds) = 0;
    virtual void emit(const wire::Message& event) = 0;
    /// Why the job should stop soon ("interrupted"), set by a signal; empty while it should not.
    [[nodiscard]] virtual std::string stopReason() const = 0;
    /// Somebody can answer: a failure may pause the job instead of ending it.
    [[nodiscard]] virtual bool attended() const = 0;
    /// Starts a request that may be cancelled from outside while it is processed; "" when it is done. The
    /// token is requested as soon as a `cancel` with that id arrives.
    virtual CancelToken beginRequest(const std::string& id) = 0;
    /// Cancelled before it was started.
    [[nodiscard]] virtual bool wasCancelled(const std::string& id) = 0;
};

/// An event {type, id?, body}.
inline wire::Message event(std::string type, nlohmann::json body, std::string id = {}) {
    return {std::move(type), std::move(id), std::move(body)};
}
/// What an exception says, its first line: others are where it was thrown.
[[nodiscard]] Error errorOf(const std::exception& exception, std::string code = "train.failed");
/// The event for an Error.
wire::Message errorEvent(const Error& error, std::string id = {});

}  // namespace kurve::train

#pragma once

#include "core/train/session.h"

namespace kurve::models::testing {

/// A link without commands and listeners.
class Unattended : public train::SessionLink {
public:
    std::vector<wire::Message> commands(double) override { return {}; }
    void emit(const wire::Message&) override {}
    [[nodiscard]] std::string stopReason() const override { return {}; }
    [[nodiscard]] bool attended() const override { return false; }
    CancelToken beginRequest(const std::string&) override { return {}; }
    [[nodiscard]] bool wasCancelled(const std::string&) override { return false; }
};

}  // namespace kurve::models::testing

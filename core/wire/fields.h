#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace kurve::wire {

/// The members of a document from outside: a message, an answer of the engine, a file. A member that is
/// missing, null, of another type or out of range reads as the fallback, and so does every member of what is
/// no object. Total: nothing here throws, whatever the document. It must outlive this.
class Fields {
public:
    explicit Fields(const nlohmann::json& document) : document_(document) {}
    explicit Fields(nlohmann::json&&) = delete;

    /// There, and not null.
    [[nodiscard]] bool has(std::string_view key) const { return !member(key).is_null(); }
    [[nodiscard]] std::string text(std::string_view key, std::string fallback = {}) const;
    [[nodiscard]] double number(std::string_view key, double fallback = 0) const;
    template <std::integral Whole>
    [[nodiscard]] Whole integer(std::string_view key, Whole fallback) const {
        const nlohmann::json& value = member(key);
        if (value.is_number_unsigned()) return inRange(value.get<std::uint64_t>(), fallback);
        return value.is_number_integer() ? inRange(value.get<std::int64_t>(), fallback) : fallback;
    }
    [[nodiscard]] bool flag(std::string_view key, bool fallback = false) const;

    [[nodiscard]] Fields object(std::string_view key) const { return Fields(member(key)); }
    /// Its elements; none if it is no list.
    [[nodiscard]] const nlohmann::json& list(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;  ///< textsIn() the member
    /// The numbers of a list, NaN for what is none.
    [[nodiscard]] std::vector<double> numbers(std::string_view key) const;

private:
    template <std::integral Whole, std::integral From>
    [[nodiscard]] static Whole inRange(From value, Whole fallback) {
        return std::in_range<Whole>(value) ? static_cast<Whole>(value) : fallback;
    }
    /// Null if there is none.
    [[nodiscard]] const nlohmann::json& member(std::string_view key) const;

    const nlohmann::json& document_;
};

/// The texts of a list, without what is none; of what is no list none.
[[nodiscard]] std::vector<std::string> textsIn(const nlohmann::json& list);
/// What an event "error" or an answer's "error" says; what it leaves out is that of `otherwise`.
[[nodiscard]] Error errorIn(const nlohmann::json& body, Error otherwise);

}  // namespace kurve::wire

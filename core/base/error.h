#pragma once

#include <string>

namespace kurve {

/// What a failure means to the caller of the program: its exit code (cli.md, conventions).
enum class Blame : unsigned char {
    Request,  ///< the request was wrong: exit 2
    Work,     ///< the work failed: exit 1
};

/// A failure that a user can cause or meet. Every text is for people; `code` is stable and listed in the user
/// guide.
struct Error {
    std::string code;     ///< "config.unknown_key"; the part before the dot is the area
    std::string message;  ///< what is wrong, one sentence without a full stop
    std::string remedy;   ///< what to do about it; may be empty
    std::string file;     ///< file concerned; may be empty
    int line = 0;         ///< 1-based; 0 where there is none
    std::string field;    ///< config key, column or member; may be empty
    Blame blame = Blame::Request;

    [[nodiscard]] int exitCode() const { return blame == Blame::Request ? 2 : 1; }
    /// "<file>:<line>: <field>: <message>; <remedy>", leaving out what is empty.
    [[nodiscard]] std::string text() const;

    /// Setters for building an error in one expression: requestError("a.b", "…").in(file,
    /// 3).at("key").fix("…").
    Error&& in(std::string path, int lineNumber = 0) &&;
    Error&& at(std::string fieldName) &&;
    Error&& fix(std::string remedyText) &&;
};

[[nodiscard]] Error requestError(std::string code, std::string message);
[[nodiscard]] Error workError(std::string code, std::string message);

}  // namespace kurve

#include "core/base/error.h"

#include <utility>

namespace kurve {

std::string Error::text() const {
    std::string out;
    if (!file.empty()) {
        out += file + ":";
        if (line > 0) out += std::to_string(line) + ":";
        out += " ";
    }
    if (!field.empty()) out += field + ": ";
    out += message;
    if (!remedy.empty()) out += "; " + remedy;
    return out;
}

Error&& Error::in(std::string path, int lineNumber) && {
    file = std::move(path);
    line = lineNumber;
    return std::move(*this);
}

Error&& Error::at(std::string fieldName) && {
    field = std::move(fieldName);
    return std::move(*this);
}

Error&& Error::fix(std::string remedyText) && {
    remedy = std::move(remedyText);
    return std::move(*this);
}

Error requestError(std::string code, std::string message) {
    Error error;
    error.code = std::move(code);
    error.message = std::move(message);
    error.blame = Blame::Request;
    return error;
}

Error workError(std::string code, std::string message) {
    Error error = requestError(std::move(code), std::move(message));
    error.blame = Blame::Work;
    return error;
}

}  // namespace kurve

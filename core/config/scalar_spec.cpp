#include "core/config/scalar_spec.h"

#include <cctype>

namespace kurve {

std::vector<ScalarSpec> withValidation(const std::vector<ScalarSpec>& parts) {
    std::vector<ScalarSpec> all;
    for (const ScalarSpec& part : parts) {
        all.push_back(part);
        ScalarSpec twin = part;
        twin.id = "valid_" + part.id;
        const bool abbreviation =
            part.title.size() > 1 && std::isupper(static_cast<unsigned char>(part.title[1]));
        if (!abbreviation)
            twin.title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(twin.title[0])));
        twin.title = "Validation " + twin.title;
        twin.doc += ", on the validation split";
        all.push_back(std::move(twin));
    }
    return all;
}

}  // namespace kurve

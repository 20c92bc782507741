#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace kurve {

// Work below a folder that somebody else may have filled: no name leads out of it and no link is followed.
// `inside` is one or more file names; anything else is a breach of contract.

/// The name of one file or folder: neither "." nor "..", no separator and no control character in it.
[[nodiscard]] bool isFileName(std::string_view name);
/// One as this program gives them: letters, digits, dot, dash and underscore, no dot or dash first, at most
/// 200.
[[nodiscard]] bool isPlainName(std::string_view name);

/// Errors: io.link. What is not there is none.
Status checkNoLink(const std::filesystem::path& file);
/// root / inside. Errors: io.link, if that or a folder on the way below `root` is a link.
Result<std::filesystem::path> pathInside(const std::filesystem::path& root,
                                         const std::filesystem::path& inside);
/// Makes the folders that are not there, `root` with them. Errors: io.link, io.write.
Result<std::filesystem::path> makeFolderInside(const std::filesystem::path& root,
                                               const std::filesystem::path& inside);
/// Deletes a file, or a folder with all that is in it, by descriptors: whoever puts links in its way loses
/// the links, not what they lead to. What is not there is deleted. Errors: io.link (on the way), io.write.
Status removeInside(const std::filesystem::path& root, const std::filesystem::path& inside);

}  // namespace kurve

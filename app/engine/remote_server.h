#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/engine/command.h"
#include "core/wire/message.h"

namespace kurve::engine {

/// The requests of `kurve serve --stdio` (core/remote/line.h asks them). Each has an id and one answer with
/// the same id, an "error" as on the wire where it failed:
///   hello     {protocol, version, folder}  {protocol, version, commit, folder}: the project's folder here
///   describe  {}                           {devices, free_bytes, writable}
///   runs      {}                           {runs: as kurve runs --json}
/// It keeps nothing but the folder: whoever connects again goes on where the files are. One thread.
class RemoteServer {
public:
    /// `project`: of --project; empty: as hello says.
    explicit RemoteServer(const CommonOptions& common);
    [[nodiscard]] wire::Message answer(const wire::Message& request);

private:
    using Answer = Result<nlohmann::json>;
    Answer hello(const nlohmann::json& body);
    Answer describe();
    Answer runs();

    CommonOptions common_;
    std::filesystem::path folder_;  ///< of the project; empty before hello
};

}  // namespace kurve::engine

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/command.h"
#include "app/engine/engine_connection.h"
#include "core/wire/message.h"

namespace kurve::engine {

/// The requests of `kurve serve --stdio` (core/remote/connection.h asks them). Each has an id and one answer
/// with the same id, an "error" as on the wire where it failed. Bytes are Base64; files are named below the
/// project's or the run's folder.
///   hello     {protocol, version, folder, project: projectName()}
///             {protocol, version, commit, folder}: the project's folder here
///   describe  {}                              {devices, free_bytes, writable}
///   runs      {}                              {runs: as kurve runs --json, without the long members}
///   have      {files: [{path, sha256}]}       {missing: [{path, offset}]}: offset bytes of it have arrived
///             A run that is there already is left as it is: remote.reference where it has other files.
///   put       {path, sha256, bytes, offset, data}  {offset}
///   start     {run, arguments: […]}           {}: kurve train --run RUN ARGUMENTS, detached
///   resume    {run, arguments: […]}           {}: kurve resume RUN ARGUMENTS, detached; resume.running
///   changes   {run, cursor}                   {exists, alive, outcome, database, cursor, complete}:
///                                             store::RunChanges, DetachedTraining::outcome
///   digests   {run}                           {digests}: store::runDigests
///   files     {run}                           {files: [{path, bytes, modified}]}
///   fetch     {run, path, offset}             {data, bytes, modified, sha256: of a file that ends here}
///   tell      {run, command}                  {}: to the engine that trains it; it answers by an event
/// After the first `changes` of a run that trains, its engine's events come as {"type":"engine","event":{…}}.
/// It keeps nothing but the folder and that connection: whoever connects again goes on where the files are.
/// One thread.
class RemoteServer {
public:
    /// `project`: of --project; empty: as hello says.
    explicit RemoteServer(const CommonOptions& common);
    [[nodiscard]] wire::Message answer(const wire::Message& request);
    [[nodiscard]] int eventsDescriptor() const { return engine_.descriptor(); }  ///< to poll; -1: none
    [[nodiscard]] std::vector<wire::Message> events();

private:
    using Answer = Result<nlohmann::json>;
    using Handler = Answer (RemoteServer::*)(const nlohmann::json&);
    [[nodiscard]] static Handler handlerOf(const std::string& type);
    Answer hello(const nlohmann::json& body);
    [[nodiscard]] Status checkFolder(const std::string& project) const;
    Answer describe(const nlohmann::json& body);
    Answer runs(const nlohmann::json& body);
    Answer have(const nlohmann::json& body);
    Answer put(const nlohmann::json& body);
    Answer start(const nlohmann::json& body);
    Answer resume(const nlohmann::json& body);
    Answer changes(const nlohmann::json& body);
    Answer digests(const nlohmann::json& body);
    Answer files(const nlohmann::json& body);
    Answer fetch(const nlohmann::json& body);
    Answer tell(const nlohmann::json& body);
    [[nodiscard]] Result<std::filesystem::path> runFolder(const nlohmann::json& body) const;

    CommonOptions common_;
    std::filesystem::path folder_;  ///< of the project; empty before hello
    EngineConnection engine_;
};

}  // namespace kurve::engine

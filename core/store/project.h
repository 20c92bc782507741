#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::store {

/// An opened project folder (project.toml, experiments/, data/, runs/, index.db). Immutable facts only.
class Project {
public:
    /// Errors: project.missing (no project.toml; says how to make one), project.syntax.
    static Result<Project> open(const std::filesystem::path& folder);
    /// The nearest folder upward from `start` that has a project.toml.
    static Result<Project> findUpward(const std::filesystem::path& start);

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::filesystem::path runsFolder() const { return folder_ / "runs"; }
    [[nodiscard]] std::filesystem::path runFolder(const std::string& id) const { return runsFolder() / id; }
    /// experiments/*.toml sorted by name; the one named `default_experiment` in project.toml first.
    [[nodiscard]] std::vector<std::filesystem::path> experiments() const;

private:
    std::filesystem::path folder_;
    std::string name_, defaultExperiment_;
};

/// States of a run as stored in run.db's `state` and shown everywhere.
/// running paused stopping completed cancelled failed crashed lost_contact
struct RunSummary {
    std::string id, name, family, state, reason, task;
    std::int64_t step = 0, totalSteps = 0;
    double started = 0, ended = 0;          ///< seconds since the epoch; 0 = not yet
    std::map<std::string, double> metrics;  ///< last value of the summary metrics
    std::vector<std::string> tags;
    std::string notes, parent, configHash;
    bool starred = false, trashed = false, bundled = false;
    std::int64_t bytes = 0;
};

/// index.db of a project: what the run table needs. Written by the studio and the command line (short
/// transactions, busy timeout), rebuildable from runs/. Use from one thread at a time.
class ProjectIndex {
public:
    static Result<std::unique_ptr<ProjectIndex>> open(const Project& project);
    ~ProjectIndex();

    /// Re-reads the runs whose run.db changed since the last call (by size and time); returns the ids that
    /// changed. A run that says it is running but whose process is gone (pid + start time) becomes `crashed`;
    /// a heartbeat older than 30 s with an unknown process becomes `lost_contact`.
    Result<std::vector<std::string>> refresh();
    Result<std::vector<RunSummary>> runs() const;
    Status setName(const std::string& id, const std::string& name);
    Status setTags(const std::string& id, const std::vector<std::string>& tags);
    Status setNotes(const std::string& id, const std::string& notes);
    Status setStarred(const std::string& id, bool on);
    Status setTrashed(const std::string& id, bool on);
    /// Drops everything that can be read from runs/ and reads it again; names, tags, notes and stars are
    /// kept.
    Status rebuild();

private:
    ProjectIndex();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// "lr<1e-3 tag:ok bleu>20 family:sclm state:running some words": every term must hold. Errors:
/// filter.syntax.
class RunFilter {
public:
    static Result<RunFilter> parse(const std::string& text);
    [[nodiscard]] bool matches(const RunSummary& run) const;

private:
    struct Term {
        std::string key, op, text;
        double number = 0;
    };
    std::vector<Term> terms_;
};

}  // namespace kurve::store

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/extremes.h"

namespace kurve::store {

/// An opened project folder (project.toml, experiments/, data/, runs/, index.db). Immutable facts only.
class Project {
public:
    /// Errors: project.missing (no project.toml; says how to make one), project.syntax, io.link (one of its
    /// own folders is a link).
    static Result<Project> open(const std::filesystem::path& folder);
    /// The nearest folder upward from `start` that has a project.toml.
    static Result<Project> findUpward(const std::filesystem::path& start);

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::filesystem::path runsFolder() const { return folder_ / "runs"; }
    /// An id that is no name of a folder (it may come from a damaged index or a trace) leads to one in
    /// runs/ that no run has: what is no part of a name is written %XX.
    [[nodiscard]] std::filesystem::path runFolder(const std::string& id) const {
        return runFolderIn(folder_, id);
    }
    [[nodiscard]] static std::filesystem::path runFolderIn(const std::filesystem::path& project,
                                                           const std::string& id);
    /// experiments/*.toml sorted by name; the one named `default_experiment` in project.toml first.
    [[nodiscard]] std::vector<std::filesystem::path> experiments() const;
    /// The id of the run that a new window shows first, `default_run` in project.toml; empty: the newest.
    [[nodiscard]] const std::string& defaultRun() const { return defaultRun_; }

private:
    std::filesystem::path folder_;
    std::string name_, defaultExperiment_, defaultRun_;
};

/// States of a run as stored in run.db's `state` and shown everywhere:
/// running paused stopping completed cancelled failed; found by the index: crashed lost_contact damaged
/// (run.db cannot be read; `reason` says why).
struct RunSummary {
    std::string id, name, family, state, reason, task;
    std::int64_t step = 0, totalSteps = 0;
    double plannedSeconds = 0;              ///< the run is planned by time: totalSteps is a guess; else 0
    double started = 0, ended = 0;          ///< seconds since the epoch; 0 = not yet
    std::map<std::string, double> metrics;  ///< last value of the summary metrics
    std::shared_ptr<const RunExtremes> extremes;  ///< of what was logged as a curve; null: not read
    /// What the experiment changed (run key `settings`), and its `preset` if it has one.
    std::map<std::string, std::string> settings;
    std::vector<std::string> tags;
    std::string notes, parent, configHash;
    std::string experiment;        ///< the name of its file; empty: trained from none
    std::int64_t parentStep = -1;  ///< of the checkpoint of `parent` that it began from; -1: it is no fork
    std::string reproduces;        ///< the run that it trained again exactly; empty: none
    std::string machine;  ///< another machine that trains it (kurve train --machine); empty: this one
    /// By field, the checkpoint of another run that it was made with: "model.autoencoder" "ae@step-00000400".
    std::map<std::string, std::string> references;
    bool starred = false, trashed = false;
    bool bundled = false;  ///< came with Kurve: the run folder holds a file named BUNDLED
    std::int64_t bytes = 0;
    /// Its position in the project's order of styles (styleAt()), which no other run has; -1: not assigned
    /// yet.
    int style = -1;
    /// Another whenever the index has anything else of this run; 0: it is from no index.
    std::uint64_t version = 0;

    /// Empty: it has none.
    [[nodiscard]] std::string preset() const {
        const auto found = settings.find("preset");
        return found == settings.end() ? std::string() : found->second;
    }
};
/// A listing that nobody changes any more; thousands of runs are shared, never copied.
using RunList = std::shared_ptr<const std::vector<RunSummary>>;

/// Where an index may lie. The default asks the file system and the environment; tests give other answers.
struct IndexPaths {
    /// Where a database must not be written; empty: NFS and SMB.
    std::function<bool(const std::filesystem::path&)> onNetwork;
    /// Where the index of a project lies that is there; empty: $XDG_DATA_HOME/kurve/indexes.
    std::filesystem::path ownFolder;
};

/// index.db of a project: what the run table needs. Written by the studio and the command line (short
/// transactions, busy timeout), rebuildable from runs/. In a project that may not be written it works in
/// memory, with the marks that the project's index.db has, and the setters fail (io.write); so it does where
/// the disk is full, as notice() says, until there is room again. Of a project on a network file system it
/// lies in the user's own folder, with the marks that the project's index.db had, and notice() says so; where
/// that is on the network as well, in memory (the setters fail: store.network). Use from one thread at a
/// time.
class ProjectIndex {
public:
    /// Errors: store.newer_version, store.damaged (openRepaired() helps), io.write.
    static Result<std::unique_ptr<ProjectIndex>> open(const Project& project, const IndexPaths& paths = {});
    /// open(); an index.db that cannot be read is put aside as index.db.damaged (.damaged2, … where there is
    /// one) and begins anew with what can still be read of its names, tags, notes, stars and trash: notice()
    /// says so.
    static Result<std::unique_ptr<ProjectIndex>> openRepaired(const Project& project,
                                                              const IndexPaths& paths = {});
    /// The database it works with now; empty: none, it works in memory.
    [[nodiscard]] std::filesystem::path file() const;
    /// The database that open() would use; empty: none. Asks the file system.
    [[nodiscard]] static std::filesystem::path fileOf(const Project& project, const IndexPaths& paths = {});
    ~ProjectIndex();

    /// Re-reads the runs whose run.db changed since the last call (by size and time); returns the ids that
    /// changed, also by what another program said of them in the index. A run that says it is running but
    /// whose process is gone (pid + start time) becomes `crashed`; a heartbeat older than 30 s with an
    /// unknown process becomes `lost_contact`.
    Result<std::vector<std::string>> refresh();
    struct Part {
        std::vector<std::string> changed;  ///< ids, as of refresh()
        std::size_t waiting = 0;           ///< runs that are known to have changed and are not read yet
    };
    /// refresh() in parts, the newest runs first: returns after about `seconds`, however many there are. The
    /// next call goes on.
    Result<Part> refreshFor(double seconds);
    /// Runs that nobody has read yet stay unread, now and when they are found again; returns how many.
    std::size_t leaveWaiting();
    /// Undoes leaveWaiting().
    void takeAll();
    Result<std::vector<RunSummary>> runs() const;
    Status setName(const std::string& id, const std::string& name);
    /// What others did to the run's tags meanwhile stays; what is there or gone already is no error.
    Status changeTags(const std::string& id, const std::vector<std::string>& added,
                      const std::vector<std::string>& removed);
    /// `read` is what stood there when the notes were written; others that stand there now are merged with
    /// them (mergeNotes()). Returns what stands there afterwards.
    Result<std::string> setNotes(const std::string& id, const std::string& notes, const std::string& read);
    Status setStarred(const std::string& id, bool on);
    Status setTrashed(const std::string& id, bool on);
    /// Of a run that is deleted for good: another one may be given its id.
    Status dropMarks(const std::string& id);
    /// Assigns the first styles to these runs; runs that had them get theirs.
    Status assignFirstStyles(const std::vector<std::string>& ids);
    /// Drops everything that can be read from runs/ and reads it again; names, tags, notes and stars are
    /// kept.
    Status rebuild();
    /// openRepaired() and rebuild().
    static Status repair(const Project& project, const IndexPaths& paths = {});
    /// What people are to know about the index: that it lies elsewhere, was built again, …; else empty.
    [[nodiscard]] const std::string& notice() const;

private:
    ProjectIndex();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// "train.lr<1e-3 tag:ok valid_bleu>20 family:sclm state:running some words": every term must hold. Terms:
///   word or "two words"   in the name, id, family, task, state, notes or a tag, whatever the case
///   key:text              id name family state reason task notes parent machine tag or a setting contains
///                         it; is:starred, is:trashed, is:bundled
///   key=text  key!=text   is (is not) exactly that
///   key<n <= > >= = !=    step, total_steps, a metric or a setting as a number; without it: no match;
///                         min.valid_loss and max.valid_bleu are a curve's lowest and highest value;
///                         a kept score is asked with its settings, in any order:
///                         eval_test_bleu@beam=8,temperature=0.7>20
/// A metric or setting answers to its full name or to what follows its last '.' or '/'; metrics come first,
/// so "lr" is the one logged last. Errors: filter.syntax.
class RunFilter {
public:
    /// What a run has of a setting that it did not change; nothing: it has none of that name, or it is not
    /// known.
    using Unchanged =
        std::function<std::optional<std::string>(const RunSummary& run, const std::string& key)>;
    /// Without `maybeUnchanged` a run has the settings alone that differ from preset or default.
    static Result<RunFilter> parse(const std::string& text, Unchanged maybeUnchanged = {});
    [[nodiscard]] bool matches(const RunSummary& run) const;
    /// The first name that a term asks for and that none of the runs has; empty: there is none, or there are
    /// no runs.
    [[nodiscard]] std::string unknownName(std::span<const RunSummary> runs) const;
    /// True if a term asks for `key:text` (so that a list which hides trashed runs knows they are wanted).
    [[nodiscard]] bool asksFor(const std::string& key, const std::string& text) const;

private:
    struct Term {
        std::string key, op, text;  ///< key and op are empty for a word; text is lower-case
        std::optional<double> number;
    };
    [[nodiscard]] bool holds(const Term& term, const RunSummary& run) const;
    [[nodiscard]] std::optional<double> numberIn(const RunSummary& run, const std::string& key) const;
    [[nodiscard]] std::optional<std::string> unchanged(const RunSummary& run, const std::string& key) const;
    std::vector<Term> terms_;
    Unchanged maybeUnchanged_;
};

}  // namespace kurve::store

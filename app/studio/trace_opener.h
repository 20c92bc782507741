#pragma once

#include <QObject>
#include <filesystem>
#include <functional>

#include "app/studio/project_session.h"
#include "views/common/background.h"

namespace kurve::studio {

/// The newest of a run's recordings (there must be one); where an evaluation recorded all fixed prompts, the
/// first prompt's, which the other views begin with too.
[[nodiscard]] const store::TraceRow& newestRecording(const std::vector<store::TraceRow>& traces);

/// Reads traces on a worker and makes them the session's trace; a newer wish overtakes an older one.
class TraceOpener : public QObject {
    Q_OBJECT
public:
    explicit TraceOpener(ProjectSession& session);
    /// Somebody asked for the shown trace, not only for its run.
    [[nodiscard]] bool wasAsked() const { return asked_; }
    /// `file` is relative to the run's folder.
    void open(const QString& runId, const QString& file);
    /// The same in the place of the shown one: the denoising step (as far on its way, where their numbers
    /// differ) and the slot stay, and no workspace opens.
    void replace(const QString& runId, const QString& file);
    /// The same, as the reference that stands beside the shown one.
    void openBeside(const QString& runId, const QString& file);
    /// The last one of the selected run, as soon as that is read.
    void openNewest();
    /// Another run may be selected: the shown trace is not its. The newest of that run takes its place, at
    /// once if a trace is `seen` now, else with fill(); with none, none is shown.
    void follow(bool seen);
    /// Something was read of a run: what waited for it is done.
    void goOn();
    /// The same without a word, if no trace is shown and there is one: no view stays empty that could show
    /// something.
    void fill();
    /// A trace of an earlier session by its file, at the slot and step where it was left; no workspace opens.
    /// Left out if it is of another run than the selected one.
    void restore(const std::filesystem::path& file, int slot, int step);
    /// An answer to a prompt; left out if another run was selected meanwhile.
    void show(std::shared_ptr<const trace::Trace> trace);
    /// A recording that is still being denoised, with more steps than the last time: whoever stands at its
    /// end goes along, whoever has gone back stays, as with the finished one that show() brings after it.
    void grow(std::shared_ptr<const trace::Trace> trace);

Q_SIGNALS:
    void opened();  ///< after open() and openNewest()
    void said(const QString& text);

private:
    /// The newest trace of the selected run; empty if it has recorded nothing.
    [[nodiscard]] std::string newest() const;
    [[nodiscard]] std::filesystem::path folderOf(const QString& runId) const;
    void put(std::shared_ptr<const trace::Trace> trace, int step);
    void backToShown();
    enum class Wish : unsigned char { Asked, Unasked };
    void read(const std::filesystem::path& run, const std::string& name, Wish wish,
              const std::function<void()>& then);
    /// The run in whose folder a file lies; empty: elsewhere.
    [[nodiscard]] QString runOfFile(const std::filesystem::path& file) const;
    /// Of the run in whose folder it lies, else of the one that it names; one that names none is of any.
    [[nodiscard]] bool isOf(const trace::Trace& trace, const QString& run) const;
    [[nodiscard]] QString runOf(const trace::Trace& trace) const;
    void claim();

    ProjectSession& session_;
    views::Background reading_, readingBeside_;
    bool busy_ = false;   ///< a trace is on its way
    bool asked_ = false;  ///< for the shown one
    QString followed_;    ///< the last primary run
    QString awaited_;     ///< whose newest trace opens as soon as it is read
};

}  // namespace kurve::studio

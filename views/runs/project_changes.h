#pragma once

#include <QPlainTextEdit>
#include <filesystem>
#include <string>

namespace kurve::views {

/// A window with the git changes of the project's folder when a run began: the untracked files, then the
/// diff with added and removed lines in colour. Reads the run's project.diff (at most 1 MiB) when it is first
/// shown.
class ProjectChanges : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ProjectChanges(QWidget* parent = nullptr);
    /// `revision`: the run's fact of that name, JSON or empty.
    void setRun(const std::filesystem::path& runFolder, const std::string& revision);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void load();

    std::filesystem::path folder_;
    std::string revision_;
    bool loaded_ = true;
};

/// The fact as one line of HTML: "commit 1a2b3c4d on main, 2 files changed", the latter a link to
/// kProjectChangesLink; empty where the project was in no repository.
[[nodiscard]] QString projectRevisionText(const std::string& revision);
inline constexpr const char* kProjectChangesLink = "kurve:project-changes";

}  // namespace kurve::views

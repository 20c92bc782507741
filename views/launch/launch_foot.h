#pragma once

#include <QWidget>

class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;

namespace kurve::views {

class Draft;
class DraftFile;
class PlanBar;
struct StudioContext;

/// What starting the draft comes to, below the form: what is wrong with it, its plan, its command line, and
/// the buttons of the run.
class LaunchFoot : public QWidget {
    Q_OBJECT
public:
    explicit LaunchFoot(const StudioContext& context, QWidget* parent = nullptr);
    /// `running`: the form shows a run that lives, so plan and problems of the draft are hidden.
    void showDraft(const Draft& draft, bool running);
    [[nodiscard]] PlanBar& plan() const { return *plan_; }
    [[nodiscard]] QString command() const;
    /// The draft as a file, with the focus where its name is typed.
    void showFile();
    /// All but the buttons: the page may show it elsewhere, and takeDetails() brings it back.
    [[nodiscard]] QWidget* details() const { return details_; }
    void takeDetails();

Q_SIGNALS:
    void copied();
    void experimentSaved(const QString& file);
    void said(const QString& text);
    void inSightWanted(QWidget* detail);  ///< somebody has asked for what it shows

private:
    [[nodiscard]] QLayout* buildCommandLine();
    [[nodiscard]] QLayout* buildButtons(const StudioContext& context) const;

    QString project_;  ///< its folder, part of the command line
    QWidget* details_;
    QLabel* problem_;
    PlanBar* plan_;
    QLineEdit* command_;
    QPushButton* toml_ = nullptr;
    DraftFile* file_;  ///< on request
};

}  // namespace kurve::views

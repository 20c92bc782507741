#pragma once

#include <QWidget>

class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;

namespace kurve::views {

class Draft;
class DraftActions;
class DraftFile;
class PlanBar;
struct StudioContext;

/// Below the form: errors of the draft, its plan, its command line, and the buttons of the run.
class LaunchFoot : public QWidget {
    Q_OBJECT
public:
    LaunchFoot(const StudioContext& context, DraftActions& actions);
    /// `running`: the form shows a live run; plan and errors of the draft are hidden.
    void showDraft(const Draft& draft, bool running);
    /// Shows the draft as a file, with the focus in the name field.
    void showFile();
    /// All but the buttons: the page may show it elsewhere, and takeDetails() takes it back.
    [[nodiscard]] QWidget* details() const { return details_; }
    void takeDetails();

Q_SIGNALS:
    void scrollRequested(QWidget* detail);  ///< the user requested it

private:
    [[nodiscard]] QLayout* buildCommandLine(DraftActions& actions);
    void connectParts(DraftActions& actions);
    [[nodiscard]] QLayout* buildButtons(const StudioContext& context) const;

    QString project_;  ///< its folder, part of the command line
    QWidget* details_;
    QLabel* problem_;
    PlanBar* plan_;
    QLineEdit* command_;
    QPushButton* toml_ = nullptr;
    DraftFile* file_;  ///< when requested
};

}  // namespace kurve::views

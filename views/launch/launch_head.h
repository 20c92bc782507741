#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace kurve::views {

class Draft;
class EngineInfo;

/// The upper part of the launch form: experiment, preset, name, machine (where there are others), device,
/// processes, and the filter of the settings below.
class LaunchHead : public QWidget {
    Q_OBJECT
public:
    /// `draft` outlives this.
    explicit LaunchHead(Draft& draft, QWidget* parent = nullptr);
    /// The experiment files to choose from; the draft's is included, also when it is missing.
    void setExperiments(const QStringList& files);
    [[nodiscard]] bool hasExperiments() const;
    /// The presets of the draft's schema; refresh() follows.
    void fill(const EngineInfo* engine);
    /// Everything else follows the draft; read-only while a live run is shown.
    void refresh(bool live);
    /// An empty text: there is no live run.
    void setLiveRun(const QString& stateText);
    void showRunning(bool on);
    [[nodiscard]] bool isRunningShown() const;
    void focusRunning();  ///< the button that shows it
    /// To the machine or device if that is wrong, else to the experiment.
    void focusError();

Q_SIGNALS:
    void searchChanged(const QString& words);
    void changedOnlyChanged(bool on);
    void runningChosen(bool on);
    void machineChosen(const QString& machine);  ///< another one than this
    void reloadWanted();                         ///< of the experiment's file

private:
    void buildParts();
    void buildLayout();
    void connectParts();
    void fillDevices();
    void fillMachines();
    void showWrong(QComboBox& box, const QString& problem, const QString& tip);
    void showAbout();
    void showStale(bool live);

    Draft& draft_;
    QFormLayout* grid_;
    const EngineInfo* engine_ = nullptr;
    QPushButton *draftTab_, *runTab_, *changedOnly_, *revertAll_, *reload_;
    QComboBox *experiment_, *preset_, *machine_, *device_;
    QSpinBox* processes_;
    QLineEdit *name_, *search_;
    QLabel *about_, *stale_;
};

}  // namespace kurve::views

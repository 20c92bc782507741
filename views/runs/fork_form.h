#pragma once

#include <QStringList>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "core/config/run_config.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kurve::views {

class ChoiceList;
class ElidedLabel;

/// The settings that a fork sets: each is chosen from a list and gets a typed editor beside the value that
/// the fork would keep. All are validated together as the engine does; errors are shown at the field.
class ForkForm : public QWidget {
    Q_OBJECT
public:
    explicit ForkForm(QWidget* parent = nullptr);
    /// Of another run, as it began; drops all changes. Empty: its settings cannot be read here.
    void setConfig(const std::optional<RunConfig>& config);
    /// The step of the checkpoint that it begins from, and the changes while training that it keeps.
    void setStart(qint64 step, const std::vector<Override>& live);
    /// A run planned by steps has none left at its end: proposes as many again for train.steps, and says why.
    /// Once per checkpoint: removing the proposal means a fork that is not trained. True if it was proposed.
    bool proposeEnd();
    void openList();
    /// Adds a setting with `text`, empty: with the checkpoint's value; or goes to it if it is there. False
    /// for an unknown key.
    bool add(const QString& key, const QString& text = {});
    void remove(const QString& key);
    /// All that were added, as "key=value".
    [[nodiscard]] QStringList settings() const;
    [[nodiscard]] bool isValid() const { return problem_.isEmpty(); }

Q_SIGNALS:
    void changed();

private:
    struct Row {
        QWidget *editor = nullptr, *whole = nullptr;  ///< whole: with its name and button
        ElidedLabel* name = nullptr;
        QString text;
    };
    [[nodiscard]] QWidget* makeEditor(const FieldSpec& field, const QString& value);
    void edit(const QString& key, const QString& text);
    void inherit();
    void showInherited(const QString& key, const Row& row);
    void check();
    [[nodiscard]] QString problemOfEnd() const;
    void fillList();

    std::optional<RunConfig> run_, config_;  // config_: what the fork has without changes of its own
    std::vector<Override> live_;
    std::map<QString, Row> rows_;
    QString problem_, inheritProblem_;
    qint64 start_ = 0, proposedAt_ = -1;  // steps; -1: nothing proposed
    QPushButton* add_;
    ChoiceList* list_;
    QLabel *error_, *note_;
    QVBoxLayout* lines_;
};

}  // namespace kurve::views

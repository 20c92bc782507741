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

/// The settings that a fork changes: each is chosen from a list and gets a typed editor beside the value of
/// the run. All are validated together as the engine does; errors are shown at the field.
class ForkForm : public QWidget {
    Q_OBJECT
public:
    explicit ForkForm(QWidget* parent = nullptr);
    /// Of another run; drops all changes. Empty: its settings cannot be read here.
    void setConfig(const std::optional<RunConfig>& config);
    /// The step of the checkpoint that it begins from.
    void setStart(qint64 step);
    /// A run planned by steps has none left at its end: proposes as many again for train.steps, and says why.
    /// Once per checkpoint: removing the proposal means a fork that is not trained. True if it was proposed.
    bool proposeEnd();
    void openList();
    /// Adds a setting with `text`, empty: with the run's value; or goes to it if it is there. False for an
    /// unknown key.
    bool add(const QString& key, const QString& text = {});
    void remove(const QString& key);
    /// What differs from the run's, as "key=value".
    [[nodiscard]] QStringList settings() const;
    [[nodiscard]] bool isValid() const { return problem_.isEmpty(); }

Q_SIGNALS:
    void changed();

private:
    struct Row {
        QWidget *editor = nullptr, *whole = nullptr;  ///< whole: with its name and button
        QString text, was;
    };
    [[nodiscard]] QWidget* makeEditor(const FieldSpec& field, const QString& value);
    void edit(const QString& key, const QString& text);
    void check();
    [[nodiscard]] QString problemOfEnd() const;
    void fillList();

    std::optional<RunConfig> config_;
    std::map<QString, Row> rows_;
    QString problem_;
    qint64 start_ = 0, proposedAt_ = -1;  // steps; -1: nothing proposed
    QPushButton* add_;
    ChoiceList* list_;
    QLabel *error_, *note_;
    QVBoxLayout* lines_;
};

}  // namespace kurve::views

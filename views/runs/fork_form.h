#pragma once

#include <QStringList>
#include <QWidget>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/run_config.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace kurve::views {

class ChoiceList;

/// What a fork changes: each setting is found in a list and gets an editor of its kind beside the value that
/// the run has. All are checked together as the engine will; what cannot be says why at its field.
class ForkForm : public QWidget {
    Q_OBJECT
public:
    explicit ForkForm(QWidget* parent = nullptr);
    /// Of another run; drops what was chosen. Empty: its settings cannot be read here.
    void setConfig(const std::optional<RunConfig>& config);
    /// The step of the checkpoint that it begins from.
    void setStart(qint64 step);
    /// A run planned by steps has none left at its end: offers as many again as train.steps, and says why.
    /// Once for a checkpoint: whoever takes that away means a fork that is not trained. True if it was
    /// offered.
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
        QWidget* editor = nullptr;
        std::vector<QWidget*> widgets;
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
    qint64 start_ = 0, proposedAt_ = -1;  // steps; -1: no end was offered
    QPushButton* add_;
    ChoiceList* list_;
    QLabel *error_, *note_;
    QGridLayout* grid_;
};

}  // namespace kurve::views

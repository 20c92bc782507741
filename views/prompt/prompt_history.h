#pragma once

#include <QObject>
#include <QStringList>

class QLineEdit;

namespace kurve::views {

/// The prompts that were run, brought back into their field by the keys up and down; past the newest stands
/// again what was being typed.
class PromptHistory : public QObject {
    Q_OBJECT
public:
    explicit PromptHistory(QLineEdit& field);
    /// The newest; one that was run before stands only there.
    void add(const QString& prompt);
    [[nodiscard]] const QStringList& prompts() const { return prompts_; }
    void setPrompts(const QStringList& prompts);

private:
    void recall(int step);

    QLineEdit& field_;
    QStringList prompts_;      ///< the newest last
    qsizetype recalled_ = -1;  ///< which of them stands in the field; -1: none
    QString typed_;            ///< what stood there before
};

}  // namespace kurve::views

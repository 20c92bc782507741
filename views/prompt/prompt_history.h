#pragma once

#include <QObject>
#include <QStringList>

class QLineEdit;

namespace kurve::views {

/// The prompts that were run, recalled into their field by the keys Up and Down; after the newest comes the
/// unfinished text.
class PromptHistory : public QObject {
    Q_OBJECT
public:
    explicit PromptHistory(QLineEdit& field);
    /// Adds the newest prompt; removes an earlier one with the same text.
    void add(const QString& prompt);
    [[nodiscard]] const QStringList& prompts() const { return prompts_; }
    void setPrompts(const QStringList& prompts);

private:
    void recall(int step);

    QLineEdit& field_;
    QStringList prompts_;      ///< the newest last
    qsizetype recalled_ = -1;  ///< index of the one in the field; -1: none
    QString typed_;            ///< the unfinished text
};

}  // namespace kurve::views

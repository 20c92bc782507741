#pragma once

#include <QMap>
#include <QStringList>
#include <QWidget>
#include <functional>

class QLineEdit;
class QPushButton;

namespace kurve::views {

/// What the prompt should become: known of a fixed prompt, or typed. Folded away until it is wanted; each
/// prompt keeps its own.
class ReferenceField : public QWidget {
    Q_OBJECT
public:
    /// `known`: the reference that a run has for a prompt; empty: none.
    explicit ReferenceField(std::function<QString(const QString& prompt)> known, QWidget* parent = nullptr);
    /// Opens and closes the field; its owner gives it a place.
    [[nodiscard]] QPushButton* button() const { return button_; }
    /// The prompt in the bar is this one now (without spaces at its ends).
    void setPrompt(const QString& prompt);
    /// What the runs know may have changed.
    void refresh() { setPrompt(prompt_); }
    /// For the present prompt, as if it were typed; shown.
    void setReference(const QString& text);
    /// That of a recording, which opens nothing.
    void show(const QString& text);
    [[nodiscard]] QString reference() const;
    /// What was typed, by prompt; of the present one and of those in `prompts` only.
    [[nodiscard]] QMap<QString, QString> typed(const QStringList& prompts) const;
    void setTyped(const QMap<QString, QString>& references);

Q_SIGNALS:
    void changed();

private:
    void typedNow(const QString& text);
    void showButton();

    std::function<QString(const QString&)> known_;
    QString prompt_;
    QMap<QString, QString> typed_;
    QLineEdit* line_;
    QPushButton* button_;
};

}  // namespace kurve::views

#pragma once

#include <QMap>
#include <QStringList>
#include <QWidget>
#include <functional>

class QLineEdit;
class QPushButton;

namespace kurve::views {

/// The reference of the prompt: known of a fixed prompt, or typed. Hidden until it is needed; each prompt has
/// its own.
class ReferenceField : public QWidget {
    Q_OBJECT
public:
    /// `known`: the reference of a prompt in the run; empty: none.
    explicit ReferenceField(std::function<QString(const QString& prompt)> known, QWidget* parent = nullptr);
    /// Shows and hides the field; for the owner's layout.
    [[nodiscard]] QPushButton* button() const { return button_; }
    /// Sets the current prompt (trimmed).
    void setPrompt(const QString& prompt);
    /// Reads the known reference again.
    void refresh() { setPrompt(prompt_); }
    /// For the current prompt, as if it were typed; shows the field.
    void setReference(const QString& text);
    /// The reference of a trace; does not show the field.
    void show(const QString& text);
    [[nodiscard]] QString reference() const;
    /// Typed references by prompt; of the current prompt and of those in `prompts`.
    [[nodiscard]] QMap<QString, QString> typed(const QStringList& prompts) const;
    void setTyped(const QMap<QString, QString>& references);

Q_SIGNALS:
    void changed();

private:
    void setTypedReference(const QString& text);
    void showButton();

    std::function<QString(const QString&)> known_;
    QString prompt_;
    QMap<QString, QString> typed_;
    QLineEdit* line_;
    QPushButton* button_;
};

}  // namespace kurve::views

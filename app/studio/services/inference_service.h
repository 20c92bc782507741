#pragma once

#include <QPointer>
#include <vector>

#include "app/studio/engine/inference_process.h"
#include "views/common/services/inference.h"

namespace kurve::studio {

/// Answers panels that ask a model many small questions, with an engine of its own: prompts wait for none of
/// them.
class InferenceService : public QObject, public views::Inference {
    Q_OBJECT
public:
    /// As InferenceProcess.
    InferenceService(QString program, std::filesystem::path project, QObject* parent = nullptr);
    void ask(views::InferenceRequest request, Done done, QObject* owner) override;
    void release() override;

private:
    struct Pending {
        std::string id, type;
        nlohmann::json body;
        Done done;
        QPointer<QObject> owner;
    };
    void sendAll();
    void take(const wire::Message& message);
    void fail(const QString& why);
    static void answer(const Pending& pending, const Result<nlohmann::json>& result);

    InferenceProcess engine_;
    QString run_, checkpoint_;
    std::vector<Pending> waiting_, sent_;
    int count_ = 0;
};

}  // namespace kurve::studio

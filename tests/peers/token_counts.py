"""The callback for Hugging Face's Trainer counts the samples and tokens of a real training: PyTorch 2 and transformers 5.

Run by ./dev peers python, which makes the environment (transformers5.txt) and sets EBB_LIBRARY and PYTHONPATH.
"""

import os
import unittest

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", CUDA_VISIBLE_DEVICES="")

import torch
import transformers
from torch.utils.data import Dataset

import ebb.transformers
from ran import FLAGS, InScratch


class Texts(Dataset):
    def __len__(self):
        return 30

    def __getitem__(self, index):
        tokens = torch.full((16,), index)
        return {"input_ids": tokens, "labels": tokens, "attention_mask": torch.ones_like(tokens)}


class TokenCounts(InScratch):
    def test_what_passes_through_the_model_in_training_counts_and_no_evaluation(self):
        model = transformers.AutoModelForCausalLM.from_config(
            transformers.Qwen2Config(
                vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
                num_key_value_heads=2,
            )
        )
        for epochs in (3, 1):  # the second callback takes over from the first
            callback = ebb.transformers.EbbCallback(quiet=True, **FLAGS)
            trainer = transformers.Trainer(
                model=model,
                args=transformers.TrainingArguments(
                    "out", report_to=[], disable_tqdm=True, use_cpu=True, save_strategy="no", eval_strategy="epoch",
                    per_device_train_batch_size=4, gradient_accumulation_steps=2, num_train_epochs=epochs,
                ),
                train_dataset=Texts(),
                eval_dataset=Texts(),
                callbacks=[callback],
            )
            trainer.train()
            # The last batch of an epoch has two samples.
            self.assert_work(callback.tracker, steps=4 * epochs, samples=30 * epochs, tokens=480 * epochs)


if __name__ == "__main__":
    unittest.main()
